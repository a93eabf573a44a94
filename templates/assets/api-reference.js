// Fills the API reference, and takes away the list that stands there without JavaScript. Nothing is asked of any other
// server: the validator badge would be. A call made here is one of the session, so a write carries its token.
const place = document.getElementById('reference');
const token = document.querySelector('meta[name=csrf-token]')?.content ?? '';
SwaggerUIBundle({
  url: place.dataset.document,
  domNode: place,
  deepLinking: true,
  docExpansion: 'none',
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
  requestInterceptor: (request) => {
    request.headers['X-CSRF-Token'] = token;
    return request;
  },
  onComplete: () => document.getElementById('operations').remove(),
});
