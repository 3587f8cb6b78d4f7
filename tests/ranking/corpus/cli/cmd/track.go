package cmd

import (
	"fmt"
	"time"

	"example.com/parcelbird/cli/internal/output"
)

func init() {
	register(&Command{Name: "track", Short: "where a parcel is", Run: track})
}

// track prints the events of a parcel; with --follow it waits for more until the parcel has arrived.
func track(args []string) error {
	flags := newFlags("track")
	follow := flags.Bool("follow", false, "wait for more")
	if err := flags.Parse(args); err != nil || flags.NArg() != 1 {
		return ErrUsage
	}
	seen := 0
	for {
		parcel, err := client().Parcel(flags.Arg(0))
		if err != nil {
			return err
		}
		table := output.NewTable("when", "where", "what")
		for _, event := range parcel.Events[seen:] {
			table.Row(event.At.Local().Format(time.DateTime), event.Place, event.Text)
		}
		fmt.Print(table)
		seen = len(parcel.Events)
		if !*follow || parcel.Arrived() {
			return nil
		}
		time.Sleep(time.Minute)
	}
}
