interface Turn {
  readonly promise: Promise<void>;
  resolve(): void;
  waiting: number;
}

/** Whoever sends more at once is answered in between, and read on only when the answers were taken. */
export const MOST_IN_A_TURN = 256;

let current: Turn | null = null;

/**
 * Resolves when all requests that have arrived in this turn of the event loop were begun, so that they go on in step and are
 * answered one right after the other: a client, or a proxy, that waits for them is woken once for all and not for each (0136).
 */
export function endOfTurn(): Promise<void> {
  const turn = current ?? begin();
  turn.waiting += 1;
  if (turn.waiting === MOST_IN_A_TURN) end(turn);
  return turn.promise;
}

function begin(): Turn {
  const turn: Turn = { ...Promise.withResolvers<void>(), waiting: 0 };
  current = turn;
  setImmediate(() => end(turn));
  return turn;
}

function end(turn: Turn): void {
  if (current === turn) current = null;
  turn.resolve();
}
