type Work = () => Promise<void>;

/** Lanes in which works run beside each other, so many of them at most. */
export interface Lanes {
  /**
   * Begins works in the free lanes, in their order. Those that find none wait for the end of one of these; when no
   * lane is free at all they are left to a later call, which asks again what there is to do.
   *
   * @param works never reject
   * @returns when those that were begun have ended
   */
  run(works: readonly Work[]): Promise<void>;
  /** Begins nothing more, and waits for what runs. */
  stop(): Promise<void>;
}

/** @param most works at the same time, over all calls */
export function createLanes(most: number): Lanes {
  const busy = new Set<Promise<void>>();
  let isStopped = false;
  const lane = async (waiting: Work[]): Promise<void> => {
    for (let work = waiting.shift(); work && !isStopped; work = waiting.shift()) await work();
  };
  const begin = (waiting: Work[]): Promise<void> => {
    const running = lane(waiting).finally(() => busy.delete(running));
    busy.add(running);
    return running;
  };
  return {
    async run(works) {
      const waiting = [...works];
      const free = Math.min(most - busy.size, waiting.length);
      await Promise.all(Array.from({ length: free }, () => begin(waiting)));
    },
    async stop() {
      isStopped = true;
      await Promise.all(busy);
    },
  };
}
