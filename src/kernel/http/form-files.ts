import type { Ctx } from '../context.ts';
import type { StagedObject } from '../storage/types.ts';
import { UnreadableBody } from './body.ts';

/** Files that a form may hold under one name. */
export interface FileRule {
  readonly maxCount: number;
  /** Of each of them. */
  maxBytes(ctx: Ctx): number;
  /** It is read as a text too: of a size that memory can hold. What is not UTF-8 is refused. */
  readonly isText?: true;
}

/** A file of a form. Its bytes were received and wait: `object.keep()` puts them into their place. */
export interface StagedFile {
  /** As the client calls it, without folders: a text to show, never a path (M26). */
  readonly filename: string;
  /** What the client says it is; only its bytes tell. */
  readonly claimedType: string;
  readonly object: StagedObject;
  /** What it says, where its rule reads it as a text. */
  readonly text: string | null;
}

/** By the name of their field; fields without a file hold none. */
export type SentFiles = Readonly<Record<string, StagedFile[]>>;

/** Throws away what nobody kept. */
export async function discardFiles(files: SentFiles): Promise<void> {
  for (const { object } of Object.values(files).flat()) await object.discard();
}

/**
 * The name of a file without folders, control characters and marks that turn the direction of writing.
 *
 * @throws UnreadableBody when nothing is left
 */
export function baseName(claimed: string): string {
  const name = claimed
    .replace(/^.*[/\\]/s, '')
    .replaceAll(/[\p{Cc}\p{Cf}]/gu, '')
    .trim()
    .slice(0, 255)
    .toWellFormed();
  if (name === '' || name === '.' || name === '..')
    throw new UnreadableBody(`${JSON.stringify(claimed)} is not a valid file name`);
  return name;
}
