import { RateLimiterMemory, RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Database } from '../db/database.ts';
import type { LimiterFactory } from './rate-limiters.ts';

/**
 * Limiters that several server processes share, in table `rate_limits` of Postgres. When the database fails, each
 * process limits in memory with the same numbers: limits are never open (M18).
 *
 * @param prefix keeps the keys of two installations in one database apart
 */
export function postgresLimiter(database: Database, prefix: string): LimiterFactory {
  return (rule) => {
    const shape = {
      keyPrefix: `${prefix}:${rule.bucket}:${rule.max}:${rule.windowSeconds}`,
      points: rule.max,
      duration: rule.windowSeconds,
      blockDuration: 0,
    };
    return new RateLimiterPostgres({
      ...shape,
      storeClient: database.db.knex,
      storeType: 'knex',
      tableName: 'rate_limits',
      tableCreated: true,
      inMemoryBlockOnConsumed: rule.max,
      clearExpiredByTimeout: true,
      insuranceLimiter: new RateLimiterMemory(shape),
    });
  };
}
