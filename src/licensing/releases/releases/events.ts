import { change, defineEvents, type NameOf } from '#kernel/events.ts';
import { releaseRecord } from './record.ts';
import type { Release } from './release.ts';

/** What is told of a change beside the release. */
export interface ReleaseFacts {
  keyId?: string;
  sha256?: string | null;
  size?: number;
  sequence?: number | null;
  publishedAt?: string | null;
  reason?: string | null;
  fileRemoved?: boolean;
  /** Channel that it was promoted from. */
  from?: string;
  percent?: number;
  paused?: boolean;
}

type Told = ReleaseFacts &
  Pick<Release, 'productId' | 'version' | 'channel' | 'platform' | 'arch' | 'state'> & {
    product: string;
    note?: string;
  };

/** What happens to releases. */
export const releaseEvents = defineEvents(
  'license',
  {
    RELEASE_CREATED: change<Told>(),
    RELEASE_CHANGED: change<Told>(),
    RELEASE_PUBLISHED: change<Told>(),
    RELEASE_ROLLOUT_CHANGED: change<Told>(),
    RELEASE_PROMOTED: change<Told>(),
    RELEASE_YANKED: change<Told>(),
    RELEASE_UNYANKED: change<Told>(),
    RELEASE_ARCHIVED: change<Told>(),
    RELEASE_DELETED: change<Told>(),
  },
  { target: 'releases', record: releaseRecord },
);

export type ReleaseEventName = NameOf<typeof releaseEvents>;
