/** What was asked of the licenses of one product on one day. */
export interface Counts {
  validations: number;
  denials: number;
  heartbeats: number;
}
