import type { Ctx } from '#kernel/context.ts';
import { rehearse } from '#kernel/rehearse.ts';
import * as customers from '#licensing/catalog/customers/index.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import type { LicenseType } from '#licensing/contract/enumerations.ts';
import { ids } from '#licensing/contract/ids.ts';
import { statusAt } from '#licensing/licenses/decision/index.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { entities } from './entities.ts';
import type { Values } from './entity.ts';
import { type Candidate, readCandidate } from './foreign/candidate.ts';
import type { ColumnMap } from './foreign/columns.ts';
import { extract } from './foreign/extract.ts';
import type { ForeignMachine } from './foreign/machines.ts';
import { type ForeignRecord, readRecords } from './foreign/records.ts';
import type { ForeignSource } from './foreign/sources.ts';
import { announce, currentKey, digestOf, requireFreeKey, writeLicense } from './intake.ts';
import { findKeyHolder } from './queries.ts';
import { type ImportReport, type Outcome, RowFault, startLedger } from './report.ts';
import * as repo from './repository.ts';

export interface ForeignImportAsked {
  source: ForeignSource;
  /** Of licenses whose record names none; id or slug. */
  product?: string | undefined;
  /** Of licenses whose source does not tell; it wins over what their end makes likely. */
  type?: LicenseType | undefined;
  /** Of licenses whose record names none; id or name. */
  policy?: string | undefined;
  map: ColumnMap;
  dryRun: boolean;
  fireEvents: boolean;
  onRow?: ((done: number) => void) | undefined;
}

/** What holds for every record of one import. */
interface Terms extends ForeignImportAsked {
  defaultProduct: products.Product | null;
  defaultPolicy: policies.Policy | null;
  /** Digest of each key to the row that brought it. */
  seen: Map<string, number>;
  /** Columns that were warned of. */
  unused: Set<string>;
}

/**
 * Imports licenses of another product with their keys (licensing 6.11), each in a transaction of its own. A key that
 * the same product has already is skipped, so that a second run of a file changes nothing.
 *
 * @throws RecordFault for a file that cannot be read; AppError NOT_FOUND for an unknown product or policy of `asked`
 */
export async function importLicenses(
  ctx: Ctx,
  bytes: AsyncIterable<Uint8Array>,
  asked: ForeignImportAsked,
): Promise<ImportReport> {
  const terms: Terms = {
    ...asked,
    defaultProduct: asked.product === undefined ? null : await products.get(ctx, asked.product),
    defaultPolicy: asked.policy === undefined ? null : await policies.get(ctx, asked.policy),
    seen: new Map(),
    unused: new Set(),
  };
  const ledger = startLedger();
  let done = 0;
  for await (const record of readRecords(asked.source, bytes)) {
    const warn = (message: string) => ledger.warn(record.row, message);
    await ledger.row(record.row, () => take(ctx, record, terms, warn));
    done += 1;
    asked.onRow?.(done);
  }
  return ledger.report;
}

async function take(
  ctx: Ctx,
  record: ForeignRecord,
  terms: Terms,
  warn: (message: string) => void,
): Promise<Outcome> {
  if ('fault' in record) throw new RowFault('ROW_INVALID', record.fault);
  const noted: string[] = [];
  const extracted = extract(terms.source, record.values, terms.map);
  if (terms.source === 'csv') tellUnused(extracted.unused, terms, warn);
  const candidate = readCandidate(terms.source, extracted, { type: terms.type }, (text) => noted.push(text));
  const digest = digestOf(ctx, candidate.key);
  const earlier = terms.seen.get(digest);
  if (earlier !== undefined) throw new RowFault('DUPLICATE_KEY', `row ${earlier} has the same key`);
  terms.seen.set(digest, record.row);
  const write = (ctx: Ctx) => writeCandidate(ctx, candidate, digest, terms);
  const outcome = await (terms.dryRun ? rehearse(ctx, write) : ctx.tx(write));
  // What is skipped needs no advice, and neither does what failed.
  if (outcome !== 'skipped') noted.forEach(warn);
  return outcome;
}

/** Once per column: a misspelt one would otherwise be lost in silence. */
function tellUnused(columns: readonly string[], { unused }: Terms, warn: (message: string) => void): void {
  const fresh = columns.filter((column) => !unused.has(column));
  if (fresh.length === 0) return;
  for (const column of fresh) unused.add(column);
  warn(`no field takes ${fresh.join(', ')}; --map COLUMN=FIELD names one`);
}

async function writeCandidate(
  ctx: Ctx,
  candidate: Candidate,
  digest: string,
  terms: Terms,
): Promise<Outcome> {
  const product = await productOf(ctx, candidate, terms);
  const holder = await findKeyHolder(ctx, digest);
  const isSame = holder?.isCurrent && holder.productId === product.id && holder.tenantId === ctx.tenantId;
  if (isSame) return 'skipped';
  await requireFreeKey(ctx, digest);
  const policyId = await policyOf(ctx, candidate, terms);
  const customer = await customers.reuse(ctx, {
    email: candidate.customerEmail,
    name: candidate.customerName,
  });
  const values = valuesOf(ctx, candidate, { product, policyId, customerId: customer.id });
  await writeLicense(ctx, values, [currentKey(candidate.key, ctx.now())]);
  const licenseId = values.id as string;
  if (candidate.currentUses > 0) await licenses.fillCounter(ctx, licenseId, candidate.currentUses);
  for (const machine of candidate.machines) await bindMachine(ctx, licenseId, machine);
  await announce(ctx, values, {
    from: terms.source,
    machines: candidate.machines,
    used: candidate.machines.length,
    fireEvents: terms.fireEvents,
  });
  return 'created';
}

async function productOf(ctx: Ctx, { product }: Candidate, terms: Terms): Promise<products.Product> {
  const found = product === undefined ? terms.defaultProduct : await products.find(ctx, product);
  if (found) return found;
  const which =
    product === undefined
      ? 'no product is given; choose one with --product'
      : `product ${product} was not found`;
  throw new RowFault('PRODUCT_UNKNOWN', which);
}

async function policyOf(ctx: Ctx, { policy }: Candidate, terms: Terms): Promise<string | null> {
  if (policy === undefined) return terms.defaultPolicy?.id ?? null;
  const found = await policies.find(ctx, policy);
  if (found) return found.id;
  throw new RowFault('POLICY_UNKNOWN', `policy ${policy} was not found`);
}

function valuesOf(
  ctx: Ctx,
  candidate: Candidate,
  {
    product,
    policyId,
    customerId,
  }: { product: products.Product; policyId: string | null; customerId: string },
): Values {
  const now = ctx.now();
  const {
    key,
    customerEmail,
    customerName,
    product: _named,
    policy,
    machines,
    currentUses,
    ...kept
  } = candidate;
  return {
    ...kept,
    ...standing(candidate, now),
    id: ctx.newId(ids.license),
    tenantId: ctx.tenantId,
    productId: product.id,
    customerId,
    policyId,
    type: kept.type ?? product.defaultLicenseType,
    maxActivations: kept.maxActivations ?? product.defaultMaxActivations,
    gracePeriodSeconds: null,
    source: 'IMPORT',
    deletedAt: null,
    createdAt: kept.createdAt ?? now,
    updatedAt: now,
  };
}

/**
 * How the license stands. One that ended long ago is stored as EXPIRED and as told: the job that looks for ended
 * licenses would otherwise announce every one of them.
 */
function standing({ status, validUntil }: Candidate, now: string): Values {
  const stored = status === 'EXPIRED' ? 'ACTIVE' : status;
  const current = statusAt({ status: stored, validUntil }, now);
  if (status === 'EXPIRED' && current !== 'EXPIRED') {
    throw new RowFault('VALUE_INVALID', 'status EXPIRED does not fit a validUntil that is not in the past');
  }
  return {
    status: current,
    expiredEventFor: current === 'EXPIRED' ? validUntil : null,
    suspendedReason: current === 'SUSPENDED' ? 'ADMIN' : null,
    suspendedAt: current === 'SUSPENDED' ? now : null,
    revokedReason: null,
    revokedAt: current === 'REVOKED' ? now : null,
  };
}

/** A machine counts as seen now: a cull that counts from its activation would end it at once. */
const bindMachine = (ctx: Ctx, licenseId: string, machine: ForeignMachine): Promise<void> =>
  repo.insert(ctx, entities.activation, {
    id: ctx.newId(ids.activation),
    tenantId: ctx.tenantId,
    licenseId,
    activationKind: 'NODE',
    machineId: machine.machineId,
    machineName: machine.machineName,
    osName: null,
    osVersion: null,
    appVersion: null,
    metadata: null,
    activatedAt: machine.activatedAt ?? ctx.now(),
    lastSeenAt: ctx.now(),
    leaseExpiresAt: null,
    lapseNotifiedAt: null,
  });
