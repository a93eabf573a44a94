// What a person sees of a terminal at the end, from all that was written to it.

const ESCAPE = '\u001b';

/** Lines of a terminal; what was written over or erased is gone. It knows the commands that prompts use. */
export function lastLines(written: string): string[] {
  const lines: string[][] = [[]];
  let [row, column] = [0, 0];
  let kept: readonly [row: number, column: number] = [0, 0];
  const move = (to: number): void => {
    row = Math.max(0, to);
    while (lines.length <= row) lines.push([]);
  };
  const commands: Record<string, (n: number) => void> = {
    A: (n) => move(row - n),
    B: (n) => move(row + n),
    G: (n) => {
      column = n - 1;
    },
    K: () => {
      lines[row] = [];
    },
    h: () => undefined,
    l: () => undefined,
  };
  for (let at = 0; at < written.length; at += 1) {
    const letter = written[at] as string;
    const command = letter === ESCAPE ? /^\[\??(\d*)([A-Za-z])/.exec(written.slice(at + 1)) : null;
    if (command) {
      const [whole, n, name = ''] = command;
      const run = commands[name];
      if (!run) throw new Error(`the screen does not know ${whole}`);
      run(Number(n || 1));
      at += whole.length;
    } else if (letter === ESCAPE && /[78]/.test(written[at + 1] ?? '')) {
      at += 1;
      if (written[at] === '7') kept = [row, column];
      else [row, column] = kept;
    } else if (letter === '\n') move(row + 1);
    else if (letter === '\r') column = 0;
    else {
      const line = lines[row] as string[];
      while (line.length < column) line.push(' ');
      line[column] = letter;
      column += 1;
    }
  }
  const texts = lines.map((line) => line.join('').trimEnd());
  while (texts.at(-1) === '') texts.pop();
  return texts;
}
