let end: Promise<void> | null = null;

/**
 * Resolves when all requests that have arrived in this turn of the event loop were begun, so that they go on in step and are
 * answered one right after the other: a client, or a proxy, that waits for them is woken once for all and not for each (0136).
 */
export function endOfTurn(): Promise<void> {
  end ??= new Promise((resolve) =>
    setImmediate(() => {
      end = null;
      resolve();
    }),
  );
  return end;
}
