-- It was written every few seconds and read once at a start.
drop index backup_clocks_touched;
