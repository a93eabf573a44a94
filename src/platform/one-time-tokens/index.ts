export {
  consume,
  type Issued,
  isOver,
  issue,
  type KnownToken,
  look,
  type OpenToken,
  recall,
  revoke,
} from './one-time-tokens.ts';
