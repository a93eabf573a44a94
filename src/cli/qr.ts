import type { BitMatrix } from 'qrcode';
import type { Cli } from './frame/context.ts';

/** Light modules around the code; scanners need some to find it. */
const MARGIN = 2;
/** By upper and lower module, dark = 1: two modules of a column share one character. */
const BLOCKS = [' ', '▄', '▀', '█'] as const;

/**
 * Draws a text as a QR code on stderr: stdout holds the text itself. On a terminal with color the modules are black on
 * white whatever its theme. A text that fits no code, or a code that does not fit the terminal, is told instead.
 *
 * @param what the text is, for that message: `the token`
 */
export async function drawQr(cli: Cli, what: string, text: string): Promise<void> {
  const { create } = await import('qrcode');
  let modules: BitMatrix;
  try {
    modules = create(text, { errorCorrectionLevel: 'L' }).modules;
  } catch {
    cli.warn(`${what} has ${text.length} characters, more than a QR code holds`);
    return;
  }
  const { stderr } = cli.io;
  const width = modules.size + 2 * MARGIN;
  // 0 columns: a terminal that was never told its size.
  if (stderr.isTTY && stderr.columns > 0 && stderr.columns < width) {
    cli.warn(`the QR code needs a terminal of ${width} columns, this one has ${stderr.columns}`);
    return;
  }
  const lines = halfBlocks(modules).map((line) => cli.paint(['black', 'bgWhiteBright'], line));
  stderr.write(`${lines.join('\n')}\n`);
}

function halfBlocks(modules: BitMatrix): string[] {
  const { size } = modules;
  const range = Array.from({ length: size + 2 * MARGIN }, (_, index) => index - MARGIN);
  const dark = (row: number, column: number): number =>
    row < 0 || column < 0 || row >= size || column >= size ? 0 : Number(modules.get(row, column) !== 0);
  return range
    .filter((_, index) => index % 2 === 0)
    .map((row) =>
      range.map((column) => BLOCKS[2 * dark(row, column) + dark(row + 1, column)] ?? ' ').join(''),
    );
}
