export {
  cancelFrom,
  MessageForm,
  NoForm,
  photoFiles,
  RequestForm,
  requestFrom,
  TrackingForm,
  trackFrom,
  writeFrom,
} from './return-forms.ts';
export { returnableShown, returnShown, returnsShown } from './return-model.ts';
export { labelFile } from './return-pages.ts';
