/** Something of the operator's took too long. */
export class TookTooLong extends Error {
  constructor(what: string, ms: number) {
    super(`${what} had not finished after ${ms / 1000} seconds`);
    this.name = 'TookTooLong';
  }
}

/**
 * What foreign code gives, or its failure, within a time. It goes on by itself after that, and nobody hears of it.
 *
 * @throws what it throws, also at once; TookTooLong
 */
export async function inTime<T>(work: () => T | PromiseLike<T>, ms: number, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TookTooLong(what, ms)), ms);
  });
  // The race hears of its rejection, so that a late one is nobody's unhandled one.
  try {
    return await Promise.race([(async () => work())(), late]);
  } finally {
    clearTimeout(timer);
  }
}
