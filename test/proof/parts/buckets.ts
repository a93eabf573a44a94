// Judges the answers of one rate-limit bucket: how many were admitted, and whether every header is right.
import type { Answer } from './client.ts';
import { Complaints } from './proof.ts';

/** A bucket as the specification gives it. */
export interface Bucket {
  name: string;
  max: number;
  windowSeconds: number;
}

/** The buckets whose endpoints exist (licensing D15). */
export const buckets = {
  read: { name: 'read', max: 60, windowSeconds: 900 },
  write: { name: 'write', max: 15, windowSeconds: 900 },
  updateCheck: { name: 'update_check', max: 60, windowSeconds: 900 },
  failures: { name: 'failures', max: 100, windowSeconds: 900 },
} as const satisfies Record<string, Bucket>;

/** What all parts of a run have found. */
export class Tally {
  requests = 0;
  /** Windows that were filled. */
  windows = 0;
  readonly admitted = new Complaints();
  readonly headers = new Complaints();
  readonly forgotten = new Complaints();

  /** Judges all answers of one window of one key, which nothing else has used. */
  judge(bucket: Bucket, what: string, answers: readonly Answer[]): void {
    this.requests += answers.length;
    this.windows += 1;
    this.expectAdmitted(bucket, what, answers);
    const remaining: number[] = [];
    for (const answer of answers) {
      this.judgeHeaders(bucket, what, answer);
      if (answer.status !== 429) remaining.push(Number(answer.headers['ratelimit-remaining']));
    }
    // Every point is given out once: 59, 58, … in some order.
    remaining.sort((left, right) => right - left);
    const isCountdown = remaining.every((value, i) => value === bucket.max - 1 - i);
    this.headers.unless(isCountdown, () => `${what}: RateLimit-Remaining was ${remaining.join(' ')}`);
  }

  /** Exactly as many as the bucket holds, or all when they are fewer. */
  expectAdmitted({ max }: Bucket, what: string, answers: readonly Answer[]): void {
    const admitted = answers.filter(({ status }) => status !== 429).length;
    const right = Math.min(max, answers.length);
    this.admitted.unless(
      admitted === right,
      () => `${what}: ${admitted} of ${answers.length} admitted, not ${right}`,
    );
    const broken = answers.find(({ status }) => status === 0 || status >= 500);
    this.admitted.unless(broken === undefined, () => `${what}: answered ${broken?.status}: ${broken?.body}`);
  }

  judgeHeaders({ name, max, windowSeconds }: Bucket, what: string, { status, headers, body }: Answer): void {
    const reset = Number(headers['ratelimit-reset']);
    const refused = status === 429;
    const right = [
      Number(headers['ratelimit-limit']) === max,
      Number.isInteger(reset) && reset > 0 && reset <= windowSeconds,
      refused ? headers['ratelimit-remaining'] === '0' : headers['ratelimit-remaining'] !== undefined,
      refused ? headers['retry-after'] === headers['ratelimit-reset'] : headers['retry-after'] === undefined,
      !refused || (body.includes('"RATE_LIMITED"') && body.includes(`"${name}"`)),
    ];
    this.headers.unless(
      right.every(Boolean),
      () => `${what}: ${status} with ${JSON.stringify(headers)} ${refused ? body : ''}`,
    );
  }
}
