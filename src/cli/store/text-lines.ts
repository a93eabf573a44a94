/** A line of a text with its number from 1; null in place of one that is too long to be kept. */
export interface TextLine {
  readonly number: number;
  readonly text: string | null;
  /** Bytes of the text up to the end of the line, about. */
  readonly end: number;
}

/**
 * Lines of a text that comes in pieces, without empty ones: one line is in memory at a time.
 *
 * @param longest characters of a line that is kept
 */
export async function* textLines(
  chunks: AsyncIterable<Uint8Array>,
  longest: number,
): AsyncGenerator<TextLine> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: false });
  let [rest, isCut, number, end] = ['', false, 0, 0];
  const line = (text: string): TextLine => {
    number += 1;
    const kept = isCut || text.length > longest ? null : text;
    isCut = false;
    return { number, text: kept, end };
  };
  for await (const chunk of chunks) {
    end += chunk.byteLength;
    const [first = '', ...more] = decoder.decode(chunk, { stream: true }).split('\n');
    rest += first;
    for (const next of more) {
      const whole = line(rest);
      if (whole.text?.trim() !== '') yield whole;
      rest = next;
    }
    if (rest.length > longest) [rest, isCut] = ['', true];
  }
  rest += decoder.decode();
  if (rest.trim() !== '' || isCut) yield line(rest);
}
