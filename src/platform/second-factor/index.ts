export { qrSvg } from './codes.ts';
export {
  confirm,
  type Proof,
  pending,
  prove,
  remove,
  renewCodes,
  type SecondFactorState,
  setup,
  stateOf,
} from './second-factor.ts';
