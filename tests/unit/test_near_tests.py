"""Which tests are about a file: by their names, and of several the nearest."""

from __future__ import annotations

import pytest

from hindcast.propose.near_tests import near_tests


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("shop/worker.py", "tests/unit/test_worker.py"),
        ("shop/worker.py", "shop/worker_test.py"),
        ("shop/payment/__init__.py", "tests/test_payment.py"),
        ("pool/pool.go", "pool/pool_test.go"),
        ("web/src/Cart.tsx", "web/src/Cart.test.tsx"),
        ("web/src/cart.ts", "web/tests/cart.spec.ts"),
        ("web/src/cart/index.js", "web/src/cart/cart.test.js"),
        ("src/main/java/shop/Pool.java", "src/test/java/shop/PoolTest.java"),
        ("app/models/order.rb", "spec/models/order_spec.rb"),
    ],
)
def test_a_test_is_known_by_its_name(path: str, test: str) -> None:
    """Every language has its own way to name the test of a file, beside it or in a folder of tests."""
    assert near_tests([path], [path, test, "README.md", "tests/conftest.py"]) == {path: (test,)}


@pytest.mark.parametrize(
    ("path", "other"),
    [
        ("shop/worker.py", "tests/test_workers.py"),
        ("shop/worker.py", "web/worker.test.ts"),
        ("shop/worker.py", "shop/latest.py"),
        ("config/production.toml", "tests/test_production.py"),
        ("tests/test_worker.py", "tests/test_test_worker.py"),
        ("Makefile", "tests/test_Makefile.py"),
    ],
)
def test_a_name_that_only_looks_like_it_is_none(path: str, other: str) -> None:
    """Another name, another language, a setting, a test itself: nothing is made up."""
    assert near_tests([path], [path, other]) == {}


def test_of_several_the_nearest_are_named() -> None:
    """Two services may have a worker each; the tests of the one say nothing about the other."""
    paths = ["mail/tests/test_worker.py", "pay/tests/test_worker.py", "pay/tests/slow/test_worker.py", "pay/worker.py"]

    assert near_tests(["pay/worker.py"], paths) == {
        "pay/worker.py": ("pay/tests/slow/test_worker.py", "pay/tests/test_worker.py")
    }
