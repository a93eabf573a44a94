/** Something did not answer in the time that a sender waits. */
export class TookTooLong extends Error {
  constructor(ms: number) {
    super(`nothing came back for ${ms} ms`);
    this.name = 'TookTooLong';
  }
}

/**
 * Waits for work for a while. It goes on afterwards; what it comes to is then nobody's business, so it must be
 * harmless to do it again.
 *
 * @throws TookTooLong; what the work throws in time
 */
export async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new TookTooLong(ms)), ms);
  });
  work.catch(() => undefined);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
