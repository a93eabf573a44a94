import type { ConfigKey } from './key.ts';

/** Where newer versions of the program come from. Nothing is asked unless an address is set (cli.md section 5). */
export const updateKeys = [
  {
    key: 'update.url',
    env: 'APPCTL_UPDATE_URL',
    kind: 'serverUrl',
    default: null,
    secret: 'url',
    note: 'Where appctl upgrade looks for a newer version: a folder that appctl release feed wrote, or with update.license_key an appctl license server. Without it nothing is asked.',
  },
  {
    key: 'update.pubkey',
    env: 'APPCTL_UPDATE_PUBKEY',
    kind: 'publicKeys',
    default: null,
    note: 'Public keys (base64), separated by commas, that sign the releases of this program.',
  },
  {
    key: 'update.channel',
    env: 'APPCTL_UPDATE_CHANNEL',
    kind: 'updateChannel',
    default: 'stable',
    flags: [{ name: '--channel' }],
    note: 'stable, rc, beta, alpha or nightly; each includes the ones before it.',
  },
  {
    key: 'update.license_key',
    env: 'APPCTL_UPDATE_LICENSE_KEY',
    kind: 'text',
    default: null,
    secret: 'value',
    note: 'License key for the releases of this program, where update.url is a license server.',
  },
] as const satisfies readonly ConfigKey[];
