import { releaseArchitectures, releaseChannels, releasePlatforms } from '../choices.ts';
import { secretOptions } from '../frame/secrets.ts';
import type { ArgSpec, OptionSpec } from '../frame/spec.ts';

/** A release that exists. */
export const releaseArgument: ArgSpec = {
  name: 'id',
  summary: 'id of the release, as release list shows it',
};

/** Product of a list or of a new release. */
export const productOption = (summary: string, required: boolean): OptionSpec => ({
  name: 'product',
  value: 'SLUG',
  summary,
  ...(required && { required: true as const }),
  complete: () => import('../completers.ts').then((completers) => completers.completeProducts),
});

/** What a release is for: beside product and version, what tells one release from another. */
export const targetOptions: readonly OptionSpec[] = [
  {
    name: 'platform',
    value: 'NAME',
    summary: `platform that it runs on: any by default (${releasePlatforms.join(', ')})`,
  },
  {
    name: 'arch',
    value: 'NAME',
    summary: `processor that it runs on: any by default (${releaseArchitectures.join(', ')})`,
  },
];

/** Product, version and what clients are told, of a new release. */
export const releaseOptions: readonly OptionSpec[] = [
  productOption('product that it is a release of', true),
  { name: 'version', value: 'VERSION', summary: 'semantic version such as 2.1.0', required: true },
  {
    name: 'channel',
    value: 'CHANNEL',
    summary: 'who receives it: stable < rc < beta < alpha < nightly, each includes those before it',
    choices: releaseChannels,
    default: 'stable',
  },
  ...targetOptions,
  {
    name: 'changelog-file',
    value: 'FILE',
    summary: 'what changed, as clients show it; - is stdin',
    complete: 'file',
  },
  { name: 'critical', summary: 'clients urge people to install it; a staged rollout does not delay it' },
  { name: 'requires-migration', summary: 'clients warn that the update converts data' },
  { name: 'min-from', value: 'VERSION', summary: 'oldest version that can update to it directly' },
  {
    name: 'entitlement',
    value: 'NAME',
    summary: 'only licenses with this feature receive it',
    repeat: true,
  },
];

/** How a bundle gets its signature: a file that release sign wrote, or a key that signs here. */
export const signatureOptions: readonly OptionSpec[] = [
  {
    name: 'sig',
    value: 'FILE',
    summary: 'its signature: FILE.sig.json next to it by default',
    complete: 'file',
    conflicts: ['key'],
  },
  { name: 'key', value: 'KEY', summary: 'sign it with this private key', complete: 'file' },
  ...secretOptions('passphrase', 'the passphrase of the private key'),
];

/** Numbers of the statement that a signature carries (licensing 6.3). */
export const statementOptions: readonly OptionSpec[] = [
  {
    name: 'sequence',
    value: 'N',
    summary: 'increasing number of the statement: the time in seconds by default',
    type: 'integer',
    min: 0,
  },
  {
    name: 'statement-days',
    value: 'N',
    summary: 'how long the statement is valid: 400 by default',
    type: 'integer',
    min: 1,
    max: 3650,
  },
];

/** When and to whom a release goes out. */
export const publishOptions: readonly OptionSpec[] = [
  { name: 'at', value: 'TIME', summary: 'publish it, and offer it from this time on' },
  {
    name: 'rollout',
    value: 'PERCENT',
    summary: 'offer it to this share of the machines first, such as 10%',
  },
];
