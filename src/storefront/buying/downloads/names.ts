/** What turns the order of the letters that follow: a name would be read as another one. */
const TURNING = /[\u202A-\u202E\u2066-\u2069]/g;

/** A name without what could lead out of a folder, end a header, or be read as something else. */
export const savedName = (name: string): string =>
  name
    .toWellFormed()
    .replaceAll(TURNING, '')
    .replaceAll(/[/\\\p{Cc}]/gu, '_');

/** PowerShell ends a quoted text with any of these, and takes two of them for one sign. */
const POWERSHELL_QUOTE = /['\u2018-\u201B]/g;

/** For programs that read no other form. */
const asciiName = (name: string): string =>
  name
    .normalize('NFKD')
    .replaceAll(/[^\w .()+-]/g, '_')
    .replace(/^[. ]+/, '_') || 'file';

const encodedName = (name: string): string =>
  encodeURIComponent(savedName(name)).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );

/** The header that has a browser save a file under its name. */
export const attachment = (name: string): string =>
  `attachment; filename="${asciiName(name)}"; filename*=UTF-8''${encodedName(name)}`;

/** Commands that say whether a file arrived whole; a name is quoted, so that it is a name and nothing else. */
export function checkCommands(fileName: string, sha256: string): { unix: string; windows: string } {
  const name = savedName(fileName);
  const quotedName = `'${name.replaceAll("'", "'\\''")}'`;
  return {
    unix: `printf '%s *%s\\n' ${sha256} ${quotedName} | shasum -a 256 -c`,
    windows: `(Get-FileHash -LiteralPath '${name.replaceAll(POWERSHELL_QUOTE, '$&$&')}').Hash -eq '${sha256}'`,
  };
}
