// Shows the API's own description; asks no other host to check it.
SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#reference",
  validatorUrl: null,
  docExpansion: "list",
  defaultModelsExpandDepth: 0,
  persistAuthorization: false,
});
