export { storeAnswers, storeCodeOf, storeFail } from './answers.ts';
