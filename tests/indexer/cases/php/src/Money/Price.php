<?php
namespace Shop\Money;
final class Price {}
