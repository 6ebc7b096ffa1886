"""Tests of counts over tables of policies."""
