// Shows the OpenAPI document. No validator: that would send the document's address to somebody else's server.
const place = document.getElementById("api");
SwaggerUIBundle({
  domNode: place,
  url: place.dataset.document,
  validatorUrl: null,
  deepLinking: true,
  persistAuthorization: false,
  defaultModelsExpandDepth: 0,
});
