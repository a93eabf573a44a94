import type { OptionSpec } from '../frame/spec.ts';

/** Where an export goes. */
export const outOptions: readonly OptionSpec[] = [
  { name: 'out', value: 'FILE', summary: 'file to write (mode 0600); - for stdout', complete: 'file' },
  { name: 'force', summary: 'replace an existing file' },
];
