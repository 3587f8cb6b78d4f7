"""The tasks by name. Importing a module registers what is in it."""

registry = {}


def task(name):
    """Marks a function as what a job of that name runs."""

    def register(function):
        if name in registry:
            raise ValueError(f"two tasks are called {name}")
        registry[name] = function
        return function

    return register


from . import invoice, purge, track  # noqa: E402,F401
