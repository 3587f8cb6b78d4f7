from parcelbird_worker.queue import LEASE_SECONDS


def test_a_leased_job_is_not_given_twice(queue):
    queue.put("track.poll", {})
    assert queue.lease().name == "track.poll"
    assert queue.lease() is None


def test_a_lease_that_ran_out_gives_the_job_back(queue, clock):
    queue.put("track.poll", {})
    first = queue.lease()
    clock.sleep(LEASE_SECONDS + 1)
    second = queue.lease()
    assert (second.id, second.attempts) == (first.id, 2)


def test_a_unique_key_admits_one_job(queue):
    for _ in range(3):
        queue.put("purge.expired", {}, unique_key="today")
    assert queue.lease() is not None
    assert queue.lease() is None


def test_dead_letters_are_not_leased(queue):
    queue.put("nonsense", {})
    queue.bury(queue.lease(), "no such task")
    assert queue.lease() is None
