require "rack"
require_relative "shop"

# Answers requests.
class Web
  # One request, one cart.
  def call(env) = Rack::Request.new(env)
end
