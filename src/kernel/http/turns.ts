/** Of one turn of the event loop: what is refused takes a fifth of a millisecond. */
const AT_ONCE = 4;

/**
 * Lets requests begin a few at a time, with those of others between them. Node hands over all that have arrived before it
 * looks for more: of 500 who sign in at once the last would be dealt with before anybody's page is.
 */
export class Turns {
  readonly #waiting: (() => void)[] = [];
  #isTurning = false;

  enter(begin: () => void): void {
    this.#waiting.push(begin);
    if (this.#isTurning) return;
    this.#isTurning = true;
    setImmediate(() => this.#turn());
  }

  #turn(): void {
    for (const begin of this.#waiting.splice(0, AT_ONCE)) begin();
    this.#isTurning = this.#waiting.length > 0;
    if (this.#isTurning) setImmediate(() => this.#turn());
  }
}
