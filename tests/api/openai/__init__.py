"""Tests of OpenAI's form of the API."""
