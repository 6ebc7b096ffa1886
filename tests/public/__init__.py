"""Tests of what holds for all that `goodbot` exports: values, misuse, threads."""
