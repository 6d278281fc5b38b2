"""Programs of the Makefile, setup.py and CI: the list of builds, the jars, the stages of lint and test."""
