/**
 * Reads the beginning of a text, and gives everything back from the start.
 *
 * @param isEnough says of what was read so far whether it tells what is to be known
 * @returns the beginning, which is the whole text when that was never enough; then the whole text
 */
export async function peek(
  texts: AsyncIterable<string>,
  isEnough: (head: string) => boolean,
): Promise<[string, AsyncGenerator<string>]> {
  const source = texts[Symbol.asyncIterator]();
  let head = '';
  while (!isEnough(head)) {
    const { done, value } = await source.next();
    if (done) break;
    head += value;
  }
  return [head, resumed(head, source)];
}

async function* resumed(head: string, source: AsyncIterator<string>): AsyncGenerator<string> {
  try {
    yield head;
    for (let next = await source.next(); !next.done; next = await source.next()) yield next.value;
  } finally {
    await source.return?.();
  }
}
