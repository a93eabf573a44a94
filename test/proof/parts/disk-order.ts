// What the process of R16 that has mounts of its own is told.
import type { DatabaseKind } from './proof.ts';

/** As JSON in its argument. */
export interface DiskOrder {
  readonly exe: string;
  readonly kind: DatabaseKind;
  readonly folder: string;
  readonly seed: number;
  readonly quick: boolean;
  /** What is planted; null for the run that counts. */
  readonly plant: string | null;
}
