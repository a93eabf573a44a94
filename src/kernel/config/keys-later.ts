/**
 * Keys of the contract (cli.md section 5) that have no effect in this version, with their variables. Each comes back to
 * the table with the code that reads it; until then it is refused as unknown, so that nobody relies on it.
 */
const later: readonly (readonly [key: string, env: string])[] = [
  ['update.url', 'APPCTL_UPDATE_URL'],
  ['update.pubkey', 'APPCTL_UPDATE_PUBKEY'],
  ['update.channel', 'APPCTL_UPDATE_CHANNEL'],
];

/** Keys, and those of secrets as `<key>_file`. */
export const laterKeys: ReadonlySet<string> = new Set(later.flatMap(([key]) => [key, `${key}_file`]));

/** Their variables, with the `_FILE` form of each. */
export const laterVariables: ReadonlySet<string> = new Set(later.flatMap(([, env]) => [env, `${env}_FILE`]));
