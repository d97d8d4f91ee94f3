import hypothesis

# No deadline: the machine may be busy rendering. No database: a test run leaves nothing behind.
hypothesis.settings.register_profile("pe_math", deadline=None, database=None, derandomize=True)
hypothesis.settings.load_profile("pe_math")
