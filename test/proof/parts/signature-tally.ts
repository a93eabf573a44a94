// What R25 counts, and whether a signature file says what is true.
import { type Claim, type SignedBundle, sha256 } from './claims.ts';
import { Complaints, type Outcome } from './proof.ts';
import { PRODUCT } from './release-signer.ts';

/** What is counted and what was wrong. */
export class Tally {
  /** Files that do not say what was signed, and second signatures that differ from the first. */
  readonly differing = new Complaints();
  readonly refused = new Complaints();
  readonly accepted = new Complaints();
  signed = 0;
  again = 0;
  readonly claims: Claim[] = [];
  verifiers = 0;
  seconds = 0;

  outcome(more: Record<string, number> = {}, notes: readonly string[] = []): Outcome {
    const { differing, refused, accepted, claims } = this;
    const bad = [differing, refused, accepted];
    const trueClaims = claims.filter(({ isTrue }) => isTrue).length;
    return {
      figures: {
        bundles: this.signed,
        signed_again: this.again,
        true_claims: trueClaims,
        false_claims: claims.length - trueClaims,
        verifiers: this.verifiers,
        differing: differing.count,
        refused_true: refused.count,
        accepted_false: accepted.count,
        ...more,
        seconds: this.seconds,
      },
      passed: bad.every(({ count }) => count === 0) && notes.length === 0,
      notes: [...bad.flatMap((complaints) => complaints.notes), ...notes],
    };
  }
}

/** Whether the file says what is true: a verifier goes by the signature, a reader by the words. */
export function examine(tally: Tally, { path, content, version, record }: SignedBundle): void {
  const digest = sha256(content).toString('hex');
  const claims = { sha256: digest, size: content.length };
  const payload = record.statement.replace(/^release\//, '');
  const statement = JSON.parse(Buffer.from(payload, 'base64url').toString());
  for (const [name, value] of Object.entries({ ...claims, product: PRODUCT, version, channel: 'stable' })) {
    tally.differing.unless(statement[name] === value, () => `the statement of ${path} says another ${name}`);
  }
  for (const [name, value] of Object.entries(claims)) {
    const said = record[name as keyof typeof claims];
    tally.differing.unless(said === value, () => `the signature file of ${path} says another ${name}`);
  }
}
