package cmd

import "testing"

func TestTrackNeedsOneNumber(t *testing.T) {
	for _, args := range [][]string{{}, {"one", "two"}} {
		if err := track(args); ExitCode(err) != 2 {
			t.Errorf("track(%v): %v", args, err)
		}
	}
}

func TestTrackFollowsUntilDelivered(t *testing.T) {
	server := fakeServer(t, "in_transit", "in_transit", "delivered")
	if err := track([]string{"--follow", "RR123"}); err != nil {
		t.Fatal(err)
	}
	if server.calls != 3 {
		t.Errorf("%d calls", server.calls)
	}
}
