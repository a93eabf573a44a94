import { hostname } from 'node:os';
import type { Instance } from './instance.ts';

const LONGEST_HOST = 63;
const LONGEST_FOLDER = 130;

/**
 * Tells a server from others on its database, for people too: `web-2:/var/lib/appctl`. A successor has the name of its
 * predecessor. Null on SQLite, where there is no other.
 */
export const serverName = ({ config, database }: Pick<Instance, 'config' | 'database'>): string | null =>
  database.dialect === 'sqlite'
    ? null
    : `${hostname().slice(0, LONGEST_HOST)}:${config.dataDir.slice(-LONGEST_FOLDER)}`;
