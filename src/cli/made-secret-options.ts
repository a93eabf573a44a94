import type { OptionSpec } from './frame/spec.ts';

/**
 * Declares where a secret that the command makes is shown, once (cli.md section 1.5). A file of its own, because
 * every start loads declarations and only some commands write files.
 * @param what how help calls it: `the new secret`
 */
export const madeSecretOptions = (what: string): readonly OptionSpec[] => [
  { name: 'reveal', summary: `print ${what}` },
  { name: 'out', value: 'FILE', summary: `write ${what} to FILE (mode 0600)`, complete: 'file' },
  { name: 'force', summary: 'replace an existing --out file' },
];
