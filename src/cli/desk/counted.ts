/** Passes bytes on and tells how many there were. */
export async function* counted(
  source: AsyncIterable<Uint8Array>,
  onBytes: (sent: number) => void,
): AsyncGenerator<Uint8Array> {
  let sent = 0;
  for await (const chunk of source) {
    yield chunk;
    sent += chunk.byteLength;
    onBytes(sent);
  }
}
