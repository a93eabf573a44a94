/** Lets a few pieces of work run at the same time, a bounded number wait, and refuses the rest. */
export interface Semaphore {
  /** Whether `run` would refuse at this moment. */
  readonly isFull: boolean;
  /**
   * Runs `work` when its turn has come, in the order of asking.
   *
   * @throws QueueFull at once when as many wait as may; else what `work` throws
   */
  run<T>(work: () => Promise<T>): Promise<T>;
}

/** Nobody else may wait: the caller is told to come again later. */
export class QueueFull extends Error {
  constructor() {
    super('too many wait already');
    this.name = 'QueueFull';
  }
}

/**
 * @param atOnce pieces of work that may run at the same time, 1 or more
 * @param waiting how many may wait beside them
 */
export function createSemaphore({ atOnce, waiting }: { atOnce: number; waiting: number }): Semaphore {
  const queue: (() => void)[] = [];
  let running = 0;
  const enter = (): Promise<void> | undefined => {
    if (running < atOnce) {
      running += 1;
      return undefined;
    }
    if (queue.length >= waiting) throw new QueueFull();
    return new Promise((resolve) => queue.push(resolve));
  };
  // The place goes to the next one directly: somebody who asks in between cannot overtake.
  const leave = (): void => {
    const next = queue.shift();
    if (next) next();
    else running -= 1;
  };
  return {
    get isFull() {
      return running >= atOnce && queue.length >= waiting;
    },
    async run(work) {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
