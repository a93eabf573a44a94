import type { CommandSpec } from '../frame/spec.ts';

/** The key that seals what the database keeps secret. */
export const masterKeyCommand: CommandSpec = {
  path: 'keys master',
  summary: 'show where the master key is, and say that you have stored it',
  description:
    'The master key seals every secret in the database. Without it no copy of the database can be used, and nobody can make it again. Store a copy of it in a password manager or a safe, then run it with --kept: doctor asks until you have. The key itself is never printed.',
  options: [{ name: 'kept', summary: 'say that the master key is stored in a safe place too' }],
  runs: ['L'],
  examples: ['appctl keys master', 'appctl keys master --kept'],
  confirm: 'mild',
  output: () => import('./master-schema.ts').then((schemas) => schemas.MasterKeyOutput),
  load: () => import('./master.ts').then((actions) => actions.masterKey),
};
