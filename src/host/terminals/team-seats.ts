/** Of all sites of a team on one host: terminals in the browser, and whatever runs for somebody who came by ssh. */
const SEATS_A_TEAM = 30;

/** How many terminals and programs each team has open here. */
export class TeamSeats {
  readonly #taken = new Map<string, number>();

  isFull(team: string): boolean {
    return (this.#taken.get(team) ?? 0) >= SEATS_A_TEAM;
  }

  /** Returns what gives it back, once; undefined where there is none left. */
  take(team: string): (() => void) | undefined {
    if (this.isFull(team)) return undefined;
    this.#add(team, 1);
    return () => this.#add(team, -1);
  }

  #add(team: string, seats: number): void {
    const taken = (this.#taken.get(team) ?? 0) + seats;
    if (taken > 0) this.#taken.set(team, taken);
    else this.#taken.delete(team);
  }
}
