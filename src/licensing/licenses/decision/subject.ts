import type { LicenseStatus } from '#licensing/contract/enumerations.ts';
import { effectiveMaxVersion } from './effective.ts';
import type { Action, ActivationFacts, Facts, LicenseFacts } from './facts.ts';
import { versionAllowed } from './max-version.ts';
import { isLive } from './seats.ts';
import { graceEnd, statusAt } from './status.ts';

/** A known license as the rules see it: the facts, and what time makes of them. */
export interface Subject {
  action: Action;
  facts: Facts;
  license: LicenseFacts;
  now: string;
  status: LicenseStatus;
  /** End of the grace period that is running now, else null (D36: the status stays EXPIRED). */
  graceUntil: string | null;
  /** ACTIVE, or EXPIRED inside the grace period. */
  usable: boolean;
  /** The machine's activation if it still counts. */
  live: ActivationFacts | null;
  versionAllowed: boolean | undefined;
}

/** Looks at the facts from one moment. `license` is the one in `facts`, known to be there. */
export function subjectOf(action: Action, facts: Facts, license: LicenseFacts, now: string): Subject {
  const status = statusAt(license, now);
  const end = status === 'EXPIRED' ? graceEnd(license, facts.policy) : null;
  const graceUntil = end !== null && now < end ? end : null;
  return {
    action,
    facts,
    license,
    now,
    status,
    graceUntil,
    usable: status === 'ACTIVE' || graceUntil !== null,
    live: isLive(facts.activation, now) ? facts.activation : null,
    versionAllowed: versionAllowed(effectiveMaxVersion(license, facts.policy), facts.request.appVersion),
  };
}
