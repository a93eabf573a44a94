import { defineEvents, event, type NameOf } from '#kernel/events.ts';
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
    RELEASE_CREATED: event<Told>(),
    RELEASE_CHANGED: event<Told>(),
    RELEASE_PUBLISHED: event<Told>(),
    RELEASE_ROLLOUT_CHANGED: event<Told>(),
    RELEASE_PROMOTED: event<Told>(),
    RELEASE_YANKED: event<Told>(),
    RELEASE_UNYANKED: event<Told>(),
    RELEASE_ARCHIVED: event<Told>(),
    RELEASE_DELETED: event<Told>(),
  },
  { target: 'releases' },
);

export type ReleaseEventName = NameOf<typeof releaseEvents>;
