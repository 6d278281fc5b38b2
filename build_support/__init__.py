"""What the Makefile, setup.py and CI call: the list of builds, the jars, the stages of lint and test."""
