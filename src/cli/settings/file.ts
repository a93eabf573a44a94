import { z } from 'zod';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';

/** The settings of an installation that differ from their defaults, as a file. */
export const SettingsFile = z.strictObject({
  kind: z.literal('settings'),
  v: z.literal(1),
  /** ISO 8601 UTC. */
  createdAt: z.string(),
  settings: z.record(z.string(), z.json()),
  /** Keys of secrets that are set; their values stay where they are. */
  secrets: z.array(z.string()),
});
export type SettingsFile = z.output<typeof SettingsFile>;

/** Reads the file of an argument. @throws usage error (2) for one that is no export of settings */
export async function readSettings(cli: Cli, path: string): Promise<SettingsFile> {
  const text = await cli.readText('FILE', path);
  const name = path === '-' ? 'stdin' : path;
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch (error) {
    throw usageError(`${name} is not JSON: ${(error as Error).message}`, EXPORT);
  }
  const read = SettingsFile.safeParse(document);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  const place = issue && issue.path.length > 0 ? ` (${issue.path.join('.')}: ${issue.message})` : '';
  throw usageError(`${name} is not an export of settings${place}`, EXPORT);
}

const EXPORT = 'appctl settings export --out settings.json writes one';
