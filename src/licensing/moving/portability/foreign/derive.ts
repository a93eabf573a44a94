import { LICENSE_STATUSES, type LicenseStatus, type LicenseType } from '#licensing/contract/enumerations.ts';
import { addDuration, addValidity, readDate } from './dates.ts';
import type { Extracted } from './extract.ts';
import type { ForeignSource } from './sources.ts';
import { type Raw, readChoice, readFlag, readInteger, readText } from './values.ts';

/** What a source says in ways of its own. */
export interface Derived {
  status: LicenseStatus;
  /** ISO 8601 UTC; null: without end. */
  validUntil: string | null;
  /** Only where the source tells floating licenses apart. */
  type: LicenseType | undefined;
  /** Machines that it allows, unread. */
  limit: Raw;
}

/**
 * Status, end, type and limit of a license as its source means them (the table of licensing 6.11).
 *
 * @param createdAt ISO 8601 UTC, where the source tells it
 * @throws RowFault DATE_INVALID, LIMIT_RANGE, VALUE_INVALID
 */
export function derive(source: ForeignSource, extracted: Extracted, createdAt: string | undefined): Derived {
  const { fields, signal } = extracted;
  const isStatus = (status: string): boolean =>
    String(signal('status') ?? '')
      .trim()
      .toUpperCase() === status;
  const plain = {
    validUntil: readDate('validUntil', fields.validUntil, 'end'),
    type: undefined,
    limit: fields.maxActivations,
  };
  // What --map said wins over what the source usually means.
  const stated = readChoice('status', fields.status, LICENSE_STATUSES);
  switch (source) {
    case 'keygen': {
      const suspended = readFlag(signal('suspended')) || isStatus('SUSPENDED');
      return { ...plain, status: stated ?? (suspended ? 'SUSPENDED' : 'ACTIVE') };
    }
    case 'lemonsqueezy': {
      const disabled = readFlag(signal('disabled')) || isStatus('DISABLED');
      return { ...plain, status: stated ?? (disabled ? 'SUSPENDED' : 'ACTIVE') };
    }
    case 'cryptlex':
      return deriveCryptlex(extracted, createdAt, stated);
    case 'csv':
      return { ...plain, status: stated ?? 'ACTIVE' };
  }
}

function deriveCryptlex(
  { fields, signal }: Extracted,
  createdAt: string | undefined,
  stated: LicenseStatus | undefined,
): Derived {
  const isFloating =
    String(signal('type') ?? '')
      .trim()
      .toLowerCase() === 'hosted-floating';
  const suspended = readFlag(signal('suspended')) ? 'SUSPENDED' : 'ACTIVE';
  return {
    status: stated ?? (readFlag(signal('revoked')) ? 'REVOKED' : suspended),
    validUntil: readDate('validUntil', fields.validUntil, 'end') ?? endOf(signal, createdAt),
    type: isFloating ? 'FLOATING' : undefined,
    limit: isFloating ? signal('allowedFloatingClients') : fields.maxActivations,
  };
}

/** Cryptlex counts the term from the creation: an ISO 8601 interval, formerly seconds, of which 0 is no term. */
function endOf(signal: Extracted['signal'], createdAt: string | undefined): string | null {
  if (createdAt === undefined) return null;
  const interval = readText('subscriptionInterval', signal('subscriptionInterval'), 100);
  if (interval !== undefined) return addDuration('subscriptionInterval', createdAt, interval);
  const seconds = readInteger('validity', signal('validity'), 0, Number.MAX_SAFE_INTEGER) ?? 0;
  return seconds === 0 ? null : addValidity('validity', createdAt, seconds);
}
