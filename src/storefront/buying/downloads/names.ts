/** A name without what could lead out of a folder, or end a header. */
export const savedName = (name: string): string => name.toWellFormed().replaceAll(/[/\\\p{Cc}]/gu, '_');

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
    windows: `(Get-FileHash -LiteralPath '${name.replaceAll("'", "''")}').Hash -eq '${sha256}'`,
  };
}
