"""Tests of each rule of lint."""
