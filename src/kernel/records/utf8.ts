import { RecordFault } from './fault.ts';

/**
 * Turns the bytes of a file into text, a byte order mark left out.
 *
 * @throws RecordFault for bytes that are no UTF-8: what a spreadsheet saves in an old code page would otherwise come
 *   in with its letters replaced, and nobody would notice
 */
export async function* decodeUtf8(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let first = true;
  for await (const chunk of chunks) {
    if (first) refuseUtf16(chunk);
    first = false;
    yield decoded(() => decoder.decode(chunk, { stream: true }));
  }
  yield decoded(() => decoder.decode());
}

function decoded(decode: () => string): string {
  try {
    return decode();
  } catch {
    throw new RecordFault('the file is not UTF-8; save it as UTF-8 (a spreadsheet calls it "CSV UTF-8")');
  }
}

function refuseUtf16([a, b]: Uint8Array): void {
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) {
    throw new RecordFault('the file is UTF-16; save it as UTF-8 (a spreadsheet calls it "CSV UTF-8")');
  }
}
