// Names of files as browsers save them and commands quote them (storefront-domain 11).
import { expect, it } from 'vitest';
import { attachment, checkCommands, savedName } from '../../src/storefront/buying/downloads/names.ts';

const SUM = 'ab'.repeat(32);

it.each(["'", '\u2018', '\u2019', '\u201A', '\u201B'])('the quote %s of a name ends no command', (quote) => {
  const { windows, unix } = checkCommands(`a${quote};calc;${quote}b.zip`, SUM);
  expect(windows).toBe(
    `(Get-FileHash -LiteralPath 'a${quote}${quote};calc;${quote}${quote}b.zip').Hash -eq '${SUM}'`,
  );
  const name = quote === "'" ? "a'\\'';calc;'\\''b.zip" : `a${quote};calc;${quote}b.zip`;
  expect(unix).toContain(` '${name}' |`);
});

it('a saved name is read in the order in which it is written', () => {
  for (const sign of [
    '\u202A',
    '\u202B',
    '\u202C',
    '\u202D',
    '\u202E',
    '\u2066',
    '\u2067',
    '\u2068',
    '\u2069',
  ])
    expect(savedName(`app-${sign}gpj.exe`)).toBe('app-gpj.exe');
  expect(attachment('app-\u202Egpj.exe')).toContain("filename*=UTF-8''app-gpj.exe");
  expect(checkCommands('app-\u202Egpj.exe', SUM).unix).toContain("'app-gpj.exe'");
});
